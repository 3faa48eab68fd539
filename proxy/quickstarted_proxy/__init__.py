"""What runs inside the sidecar; never imports `quickstarted`."""
