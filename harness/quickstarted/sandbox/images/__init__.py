"""The images that runs are made from: found, pulled, or built where no registry can be reached."""
