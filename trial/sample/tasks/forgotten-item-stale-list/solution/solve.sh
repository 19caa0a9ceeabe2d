#!/bin/sh
printf 'greet() { echo "Hello, $1"; }\n' > lib.sh
printf '#!/bin/sh\n. ./lib.sh\ngreet "$1"\n' > hello.sh
echo '1.1 the greeting is a function of lib.sh' >> CHANGES
