"""Policy actions and their exact conversion to and from controllers."""
