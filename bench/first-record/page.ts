import type { Section } from '../section.ts';

const begin = '<!-- first record: written by npm run bench:first-record -->';
const end = '<!-- end of first record -->';

export const firstRecordSection: Section = {
  begin,
  end,
  initial: `
## First record

\`npm run bench:first-record\` measures how long it takes until a producer has its first record acknowledged, in a topic
that did not exist: from \`npm start\` in a fresh clone, and from the start of a release that is installed.
[bench/README.md](../../bench/README.md#first-record) says how.

${begin}
${end}
`,
};
