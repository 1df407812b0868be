"""Screenshots for articles."""

from PIL import Image


def save(browser, file):
    """Saves what is shown with 256 of its colours, which is a third of the size."""
    browser.driver.save_screenshot(str(file))
    image = Image.open(file).convert("RGB")
    # One of several that look alike: a rare colour, such as the red of a few words, has its place too.
    colors = []
    for _, color in sorted(image.getcolors(1 << 24), reverse=True):
        if all(sum(abs(a - b) for a, b in zip(color, other)) > 18 for other in colors):
            colors.append(color)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for color in colors[:256] for part in color])
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
