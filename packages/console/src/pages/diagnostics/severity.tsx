import type { OutputOf } from '@weir/api/client';
import { Status, type StatusKind } from '../../ui/status.tsx';

export type DiagnosticRow = OutputOf<'list_diagnostics'>['diagnostics'][number];

const kinds: Readonly<Record<DiagnosticRow['severity'], StatusKind>> = {
  critical: 'fail',
  high: 'fail',
  medium: 'warn',
  low: 'info',
};

/** What a person should think of a diagnostic: that it is fine, that it is muted, or how bad it is. */
export function Severity({
  diagnostic,
}: {
  readonly diagnostic: Pick<DiagnosticRow, 'severity' | 'successful' | 'muted'>;
}) {
  if (diagnostic.muted) return <Status kind="muted">muted</Status>;
  if (diagnostic.successful) return <Status kind="ok">passing</Status>;
  return <Status kind={kinds[diagnostic.severity]}>{diagnostic.severity}</Status>;
}
