"""Tables in CSV and Parquet files: opened, checked, and read as training and models need them."""
