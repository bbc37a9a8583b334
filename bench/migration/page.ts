import type { Section } from '../section.ts';

const begin = '<!-- migrations: written by npm run bench:migrations -->';
const end = '<!-- end of migrations -->';

export const migrationSection: Section = {
  begin,
  end,
  initial: `
## Migrations

\`npm run bench:migrations\` measures what a migration takes to copy topics of another cluster, and how long producers
wait for a cut-over. [bench/README.md](../../bench/README.md#migrations) says how.

${begin}
${end}
`,
};
