# no call here
echo plain
