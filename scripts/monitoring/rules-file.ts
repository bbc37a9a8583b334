import { type AlertRule, alertRules } from './alert-rules.ts';

/** Where the runbook of an alert is, below the folder of the documentation. */
export function runbookOf({ name }: AlertRule): string {
  return `docs/operate/runbooks.md#${name.toLowerCase()}`;
}

/** A scalar of YAML: quoted texts of JSON are texts of YAML. */
const quoted = (text: string) => JSON.stringify(text);

/** What people see of an alert. */
export function annotationsOf(rule: AlertRule): Readonly<Record<string, string>> {
  return { summary: rule.summary, description: rule.means, runbook: runbookOf(rule) };
}

/** The alerts as a file of rules for Prometheus. */
export function rulesFile(): string {
  const lines = [
    '# Written by scripts/docs.ts from scripts/monitoring/alert-rules.ts.',
    'groups:',
    '  - name: weir',
    '    rules:',
  ];
  for (const rule of alertRules) {
    lines.push(
      `      - alert: ${rule.name}`,
      `        expr: ${quoted(rule.expression)}`,
      `        for: ${rule.holdsFor}`,
      `        labels: { severity: ${rule.severity} }`,
      '        annotations:',
      ...Object.entries(annotationsOf(rule)).map(([name, text]) => `          ${name}: ${quoted(text)}`),
    );
  }
  return `${lines.join('\n')}\n`;
}
