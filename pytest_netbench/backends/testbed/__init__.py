"""The backend ``testbed``: devices that exist already, named in an inventory. What is changed there is put back."""
