"""What the servers of this project share: sockets that listen, and connections that end."""
