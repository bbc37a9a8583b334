import type { ValueType } from './value-type.ts';

/**
 * How a certificate's distinguished name becomes a user name: the first rule whose pattern matches the whole name wins.
 * `DEFAULT` takes the name unchanged. The syntax is that of Kafka's `ssl.principal.mapping.rules`.
 */
type PrincipalMappingRule =
  | { readonly kind: 'default' }
  | {
      readonly kind: 'rule';
      /** An RE2 regular expression. A slash in it is written `\/`. */
      readonly pattern: string;
      /** May reference groups of the pattern as `$1`. */
      readonly replacement: string;
      /** Whether the result is turned into lower (`L`) or upper (`U`) case. */
      readonly letterCase: 'L' | 'U' | '';
    };

const written = 'DEFAULT or RULE:pattern/replacement/[LU], separated by commas,';
const oneRule =
  /\s*(?:(?<fallback>DEFAULT)|RULE:(?<pattern>(?:\\.|[^\\/])*)\/(?<replacement>(?:\\.|[^\\/])*)\/(?<letterCase>[LU]?))\s*(?:,|$)/y;

export function principalMappingRules(): ValueType<readonly PrincipalMappingRule[]> {
  return {
    label: 'principal mapping rules',
    syntax: '`RULE:^CN=(.*?),.*$/$1/L,DEFAULT`',
    allowed: 'DEFAULT or RULE:pattern/replacement/[LU], separated by commas',
    parse(text) {
      const rules: PrincipalMappingRule[] = [];
      oneRule.lastIndex = 0;
      while (oneRule.lastIndex < text.length) {
        const match = oneRule.exec(text);
        if (match === null) return { problem: `${written} is needed; rule ${rules.length + 1} is neither` };
        const { fallback, pattern = '', replacement = '', letterCase = '' } = match.groups!;
        if (fallback !== undefined) {
          rules.push({ kind: 'default' });
          continue;
        }
        rules.push({ kind: 'rule', pattern, replacement, letterCase: letterCase as 'L' | 'U' | '' });
      }
      return rules.length === 0 ? { problem: `${written} is needed` } : { value: rules };
    },
    async check(rules) {
      const { compileRewrite } = await import('@weir/cluster');
      for (const [index, rule] of rules.entries()) {
        if (rule.kind === 'default') continue;
        const { problem } = compileRewrite(rule.pattern, rule.replacement);
        if (problem !== undefined) return `rule ${index + 1} is invalid: ${problem}`;
      }
      return undefined;
    },
    print: (rules) => rules.map(printRule).join(','),
  };
}

function printRule(rule: PrincipalMappingRule): string {
  if (rule.kind === 'default') return 'DEFAULT';
  return `RULE:${rule.pattern}/${rule.replacement}/${rule.letterCase}`;
}
