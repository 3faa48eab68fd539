"""What stands in for published pages (`docs.sites`): folders read as static hosts do, previews."""
