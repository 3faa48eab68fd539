"""Results as CI systems take them."""
