"""A script that finds the texts of a page with a contrast below 4.5 to 1."""

CONTRASTS = """
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const back = (element) => {
    for (let other = element; other; other = other.parentElement) {
      const color = channels(getComputedStyle(other).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility()
      && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")
      && getComputedStyle(element).color.startsWith("rgb") && getComputedStyle(element).visibility === "visible")
    .map((element) => {
      const [a, b] = [light(channels(getComputedStyle(element).color)), light(back(element))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.className || element.id || element.tagName, element.textContent.slice(0, 30)];
    })
    .filter(([contrast]) => contrast < 4.5)"""
