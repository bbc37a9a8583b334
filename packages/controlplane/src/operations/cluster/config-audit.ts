import { type ConfigChange, configCatalogues } from '@weir/cluster';
import type { AuditChange } from '../../accounts/audit/audit-log.ts';

const hidden = '(hidden)';
/** Values of these may contain passwords, whatever their type says. */
const withPasswords: ReadonlySet<string> = new Set(['service.bucket.url']);

/** What changes of configs are in the audit log. Values that stay the same are left out, and secrets are hidden. */
export function configAudit(
  kind: 'topic' | 'cluster',
  changes: readonly ConfigChange[],
  texts: Readonly<Record<string, string>>,
): AuditChange[] {
  const { rows } = configCatalogues[kind];
  return changes.flatMap(({ name, operation, value }): AuditChange[] => {
    const before = Object.hasOwn(texts, name) ? texts[name]! : null;
    const after = operation === 'delete' ? null : value;
    if (before === after) return [];
    const isHidden = rows[name]?.sensitive === true || withPasswords.has(name);
    const shown = (text: string | null) => (isHidden && text !== null ? hidden : text);
    return [{ name, before: shown(before), after: shown(after) }];
  });
}
