import type { ReactNode } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useMissingRecordsRight } from '../../session/rights.ts';
import { Card } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

/** What only those see who may read records, and for others what they lack. */
export function ForRecordReaders({ children }: { readonly children: ReactNode }) {
  const missing = useMissingRecordsRight(useClusterId());
  if (missing === undefined) return children;
  return (
    <Card>
      <Empty title="You may not read records">{missing}.</Empty>
    </Card>
  );
}
