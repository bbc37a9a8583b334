import type { NameRule } from '@weir/security';
import type { ValueType } from './value-type.ts';

const written = 'DEFAULT or RULE:pattern/replacement/[LU], separated by commas,';
const oneRule =
  /\s*(?:(?<fallback>DEFAULT)|RULE:(?<pattern>(?:\\.|[^\\/])*)\/(?<replacement>(?:\\.|[^\\/])*)\/(?<letterCase>[LU]?))\s*(?:,|$)/y;

export function principalMappingRules(): ValueType<readonly NameRule[]> {
  return {
    label: 'principal mapping rules',
    syntax: '`RULE:^CN=(.*?),.*$/$1/L,DEFAULT`',
    allowed: 'DEFAULT or RULE:pattern/replacement/[LU], separated by commas',
    parse(text) {
      const rules: NameRule[] = [];
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

function printRule(rule: NameRule): string {
  if (rule.kind === 'default') return 'DEFAULT';
  return `RULE:${rule.pattern}/${rule.replacement}/${rule.letterCase}`;
}
