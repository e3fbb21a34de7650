// Pictures beside those of the work tree. Both are made small first, by which the edges of letters
// do not count, and what is left is compared point by point.
//
// A difference of a word or a number is too small to be seen here: tests of the pages read those.
// What is seen is a part that moved, lost its colours, or is not there.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// How many points of a page are one point of its small picture, along each side, by its width.
const SMALLER = { 1280: 4, 375: 2 };
// The difference of a colour, of 255, from which on a point counts: pictures are kept with losses.
const COLOUR = 48;
// The share of points that may count, and how much longer or shorter the picture may be.
const SHARE_MAX = 0.01;
const HEIGHT_MAX = 2;
const MADE_WITH = "made-with.json";

const loaded = (name, url) => `const ${name} = new Image(); ${name}.src = ${JSON.stringify(url)}; await ${name}.decode();`;
const url = (type, bytes) => `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;

export class Pictures {
  // What drew them: with other fonts, or by another browser, every page looks a little different.
  static async open(folder, tab) {
    const { product } = await tab.call("Browser.getVersion");
    const widths = await tab.evaluate(`(() => { const pen = document.createElement("canvas").getContext("2d");
      return ["system-ui, sans-serif", "ui-monospace, monospace", "system-ui"].map((font) => {
        pen.font = "100px " + font; return Math.round(pen.measureText("Failed 0123 ✓ ❚❚ wait").width); }); })()`);
    const own = JSON.stringify({ browser: product.split(".")[0], widths });
    const path = join(folder, MADE_WITH);
    const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "nothing";
    return Object.assign(new Pictures(), { folder, tab, own, kept, isComparable: own === kept });
  }

  file(name) {
    return join(this.folder, `${name}.webp`);
  }

  // A difference in words, or nothing.
  async differs(name, width, bytes) {
    if (!this.isComparable) return null;
    if (!existsSync(this.file(name))) return "there is no picture of it to compare with: cargo xtask web --bless";
    const kept = url("webp", readFileSync(this.file(name)));
    const { grown, share } = await this.tab.evaluate(`(async () => {
      ${loaded("now", url("png", bytes))} ${loaded("kept", kept)}
      const height = Math.round(now.height / ${SMALLER[width]});
      const points = (image) => { const canvas = new OffscreenCanvas(kept.width, kept.height).getContext("2d");
        canvas.imageSmoothingQuality = "high";
        const share = Math.min(1, kept.height / height);
        if (image === kept) canvas.drawImage(image, 0, 0);
        else canvas.drawImage(image, 0, 0, image.width, image.height * share, 0, 0, kept.width, height * share);
        return canvas.getImageData(0, 0, kept.width, kept.height).data; };
      const [left, right] = [points(now), points(kept)];
      let count = 0;
      for (let at = 0; at < left.length; at += 4)
        if ([0, 1, 2].some((colour) => Math.abs(left[at + colour] - right[at + colour]) > ${COLOUR})) count += 1;
      return { grown: height - kept.height, share: count / (left.length / 4) }; })()`);
    if (Math.abs(grown) > HEIGHT_MAX) return `it is ${Math.abs(grown) * SMALLER[width]} points ${grown > 0 ? "longer" : "shorter"}`;
    return share > SHARE_MAX ? `${(share * 100).toFixed(2)} % of it looks different` : null;
  }

  async keep(pictures) {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    for (const { name, width, bytes } of pictures) {
      const small = await this.tab.evaluate(`(async () => {
        ${loaded("now", url("png", bytes))}
        const size = [now.width, now.height].map((length) => Math.round(length / ${SMALLER[width]}));
        const canvas = document.createElement("canvas"); [canvas.width, canvas.height] = size;
        const pen = canvas.getContext("2d"); pen.imageSmoothingQuality = "high"; pen.drawImage(now, 0, 0, ...size);
        return canvas.toDataURL("image/webp", 0.8); })()`);
      writeFileSync(this.file(name), Buffer.from(small.split(",")[1], "base64"));
    }
    writeFileSync(join(this.folder, MADE_WITH), `${this.own}\n`);
  }
}
