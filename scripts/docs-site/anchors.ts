/** The anchor of a heading: what GitHub makes of it, so that links work there and on the site. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** The anchors of all headings of a page; the second of the same text ends with `-1`. */
export function headingAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)) {
    const anchor = slugOf(heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let name = anchor;
    for (let copy = 1; anchors.has(name); copy++) name = `${anchor}-${copy}`;
    anchors.add(name);
  }
  return anchors;
}
