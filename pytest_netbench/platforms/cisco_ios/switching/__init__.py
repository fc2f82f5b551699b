"""Switching of an IOS device: VLANs, trunks, SVIs, dot1Q subinterfaces, spanning tree, layer-2 security.

``state`` says as pure data what a device is to do and puts it into the plan; the service ``switch`` does it in the node.
"""
