#!/bin/sh
mv parts/footer.txt parts/foot.txt
sh build.sh
