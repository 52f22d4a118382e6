"""What training and prediction cost at any size: a model, and the measurements that fit and check it."""
