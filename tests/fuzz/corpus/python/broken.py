def f(:
  print 3
 x = (
class
	@
y = 1 +
if:
else
"""