// What a screen shows of a page: text that is cut, text and drawings without contrast. Run in the page by tests.
const netbenchScreen = {
  open() {
    document.querySelectorAll(".long").forEach((one) => { one.style.contentVisibility = "visible"; });
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
  },
  cut() {
    const found = [], width = document.documentElement.clientWidth;
    const box = (range) => range.getBoundingClientRect();
    if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest("script, style, title, defs, option, .unseen, .skip, [hidden]")) continue;
      if (!element.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = box(range);
      if (!text.width) continue;
      let scrolls = false;
      for (let outer = element; outer && outer !== document.body; outer = outer.parentElement) {
        const style = getComputedStyle(outer), room = box(outer);
        if (outer.tagName === "DIALOG") break;
        if (["auto", "scroll"].includes(style.overflowX)) { scrolls = true; break; }
        const clips = ["hidden", "clip"].includes(style.overflowX) && style.display !== "inline";
        if (clips && (text.right > room.right + 1 || text.left < room.left - 1 || text.bottom > room.bottom + 1 || text.top < room.top - 1))
          found.push(`${outer.tagName}.${outer.getAttribute("class")} cuts ${node.data.trim().slice(0, 40)}`);
      }
      if (!scrolls && (text.right > width + 1 || text.left < -1)) found.push(`outside: ${node.data.trim().slice(0, 40)} to ${text.right}`);
    }
    for (const wide of document.querySelectorAll(".wide"))
      if (wide.scrollWidth > wide.clientWidth && wide.tabIndex !== 0) found.push("a table scrolls, but not by keys");
    return found;
  },
  faint() {
    const found = [];
    const parts = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = (color) => parts(color).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const contrast = (one, other) => {
      const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const paper = (element) => {
      for (let outer = element; outer; outer = outer.parentElement) {
        const color = getComputedStyle(outer).backgroundColor;
        if (parts(color)[3] !== 0) return color;
      }
      return "rgb(255, 255, 255)";
    };
    const check = (element, color, behind, least, what) => {
      const value = contrast(color, behind);
      if (value < least) found.push(`${what}: ${value.toFixed(2)} of ${color} on ${behind}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let count = 0;
    for (let node; (node = walker.nextNode());) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest("script, style, title, defs, option, [hidden]") || !element.checkVisibility()) continue;
      const style = getComputedStyle(element), isDrawn = Boolean(element.closest("svg"));
      const mark = element.closest(".fault");
      const behind = mark ? getComputedStyle(mark.querySelector("circle")).fill : paper(element);
      check(element, isDrawn ? style.fill : style.color, behind, 4.5, node.data.trim().slice(0, 30));
      count += 1;
    }
    const drawn = [["use", "fill"], [".whisker", "stroke"], ["[class^=bar-]", "fill"], [".part-0, .part-1", "fill"],
      [".hatch", "fill"], [".node", "stroke"], [".link", "stroke"], [".broken", "stroke"], [".fault circle", "fill"]];
    for (const [selector, property] of drawn)
      for (const element of document.querySelectorAll(selector))
        check(element, getComputedStyle(element)[property], paper(element), 3, `${selector} ${property}`);
    return [count, [...new Set(found)]];
  },
  unused() {
    const right = (one) => Math.max(...[...one.querySelectorAll("*")].map((each) => each.getBoundingClientRect().right));
    const sections = [...document.querySelectorAll("main > section")];
    return sections.filter((one) => right(one) < 0.9 * innerWidth).map((one) => one.textContent.slice(0, 40));
  },
};
