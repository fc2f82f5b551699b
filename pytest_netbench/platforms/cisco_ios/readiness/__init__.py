"""What IOS devices of a lab still wait for until they are ready."""
