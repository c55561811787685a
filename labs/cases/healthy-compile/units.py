# SPDX-License-Identifier: MIT
"""units - a C source with many functions, for a compiler"""
for n in range(2500):
    print("int unit_%d(int a, int b)\n{\n\tint s = %d;\n\tfor (int i = 0; i < a; i++) {\n"
          "\t\tif (i %% %d == b)\n\t\t\ts += i * b;\n\t\telse\n\t\t\ts ^= i;\n\t}\n"
          "\treturn s;\n}\n" % (n, n, n % 13 + 2))
