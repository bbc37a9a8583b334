import { componentWith } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { child, list } from '../component/field-types.ts';
import type { Scanner } from '../component/instances.ts';
import { pattern } from '../component/pattern-field.ts';

export const switchScanner = componentWith('scanner', {
  name: 'switch',
  about: 'Uses the first scanner whose pattern matches the name of what is read, such as the path of a file.',
  field: list(
    'The cases, in order.',
    object('A case.', {
      re_match_name: pattern('A pattern of RE2 for names; all if it is absent.').optional(),
      scanner: child('scanner', 'How it is cut into messages.'),
    }),
  ),
  async open(given, context) {
    const cases: { readonly matches: (name: string) => boolean; readonly scanner: Scanner }[] = [];
    for (const { re_match_name: expression, scanner } of given) {
      const matches = (name: string) => expression === undefined || expression.matcher(name).find();
      cases.push({ matches, scanner: await context.open(scanner) });
    }
    return {
      scan(source, name) {
        const found = cases.find(({ matches }) => matches(name));
        if (found === undefined) throw new Error(`no case of the scanner switch is for ${name}`);
        return found.scanner.scan(source, name);
      },
    };
  },
});
