"""Items: their collection, their node ids and their failure texts. They run nothing."""
