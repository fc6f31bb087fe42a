# Thin names over meson and ninja; `make setup` needs nothing but a shell, apt and, for make itself, make: sh scripts/setup.sh is the same.
BUILD = build

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	meson setup $(BUILD)

setup:
	sh scripts/setup.sh

test:
	./test

install: all
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)

.PHONY: all setup test install clean
