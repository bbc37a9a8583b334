import type { OutputOf } from '@weir/api/client';
import { dollarText } from '@weir/api/storage-costs';
import { formatBytes, formatShort } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card } from '../../ui/page.tsx';
import { ShareBar } from '../../ui/share-bar.tsx';
import { type CostRow, costRows, shortDollars } from './storage-figures.ts';

function columnsOf(most: number): readonly Column<CostRow>[] {
  return [
    {
      id: 'label',
      title: 'Item',
      width: 'minmax(9.5rem, 2fr)',
      cell: ({ label }) => <span className="text-ink">{label}</span>,
    },
    {
      id: 'dollars',
      title: 'Cost',
      width: '6rem',
      isNumber: true,
      cell: ({ dollars }) => (
        <span title={dollarText(dollars)} className="font-medium text-ink">
          {shortDollars(dollars)}
        </span>
      ),
    },
    {
      id: 'share',
      title: 'Share',
      width: 'minmax(5rem, 1fr)',
      cell: ({ dollars }) => <ShareBar share={most === 0 ? 0 : dollars / most} />,
    },
    {
      id: 'amount',
      title: 'Amount',
      width: '6rem',
      isNumber: true,
      cell: ({ amount }) => (amount.unit === 'bytes' ? formatBytes(amount.value) : formatShort(amount.value)),
    },
    {
      id: 'price',
      title: 'Price',
      width: '8.5rem',
      isNumber: true,
      cell: ({ price, priceOf }) => `${dollarText(price)} / ${priceOf}`,
    },
  ];
}

export function CostTable({ costs }: { readonly costs: OutputOf<'describe_storage_costs'> }) {
  const rows = costRows(costs);
  const most = Math.max(...rows.map(({ dollars }) => dollars));
  return (
    <Card title="Cost per month">
      <DataTable label="Cost per month" columns={columnsOf(most)} rows={rows} keyOf={({ label }) => label} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Bytes currently stored and agent requests at the measured rate. Excludes requests of the control
        plane, discounts and traffic out of the region.
      </p>
      {costs.requests.length > 1 && (
        <ul className="border-t border-line px-4 py-2 text-xs text-muted">
          {costs.requests.map(({ bucket, put_per_second, get_per_second }) => (
            <li key={bucket} className="break-all">
              {bucket}: {formatShort(put_per_second)} PUT/s, {formatShort(get_per_second)} GET/s
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
