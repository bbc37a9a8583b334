import {
  type PriceListName,
  type PriceName,
  type Prices,
  priceListNames,
  priceLists,
  priceMeanings,
  priceNames,
  pricesWritten,
} from '@weir/api/storage-costs';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { controlClass, Select } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import { priceOf } from './storage-figures.ts';

interface PriceTableProps {
  readonly priceList: PriceListName;
  /** Prices that replace those of the list. */
  readonly own: Partial<Prices>;
  readonly onPriceList: (name: PriceListName) => void;
  readonly onOwn: (prices: Partial<Prices>) => void;
}

/** The assumptions of the page: prices, where they come from, and those that a person knows better. */
export function PriceTable({ priceList, own, onPriceList, onOwn }: PriceTableProps) {
  const { prices, secondary, pages } = priceLists[priceList];
  const isSecondary = (name: PriceName) => (secondary as readonly PriceName[]).includes(name);
  const change = (name: PriceName, price: number | undefined) => {
    const { [name]: _, ...others } = own;
    onOwn(price === undefined || price === prices[name] ? others : { ...others, [name]: price });
  };
  return (
    <Card
      title="Prices"
      actions={
        <>
          {Object.keys(own).length > 0 && <Button onClick={() => onOwn({})}>List prices</Button>}
          <Select
            aria-label="Price list"
            className="max-w-56"
            value={priceList}
            onChange={({ target }) => onPriceList(target.value as PriceListName)}
            options={priceListNames.map((name) => [name, priceLists[name].title])}
          />
        </>
      }
    >
      <ul className="divide-y divide-line">
        {priceNames.map((name) => (
          <li key={name} className="flex items-center gap-3 px-4 py-1 text-sm">
            <span className="min-w-0 flex-1 text-body">
              {priceMeanings[name]}
              {own[name] === undefined && !isSecondary(name) && ' *'}
            </span>
            <PriceField
              name={name}
              price={own[name] ?? prices[name]}
              isOwn={own[name] !== undefined}
              onPrice={(price) => change(name, price)}
            />
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Approximate list prices in US dollars as of {pricesWritten}, not verified with the provider; those
        with * are estimates. Enter your own: they are kept in the URL of this page.{' '}
        {Object.entries(pages).map(([title, page]) => (
          <a key={page} href={page} target="_blank" rel="noreferrer" className="mr-2 text-accent underline">
            {`${title} prices`}
          </a>
        ))}
      </p>
    </Card>
  );
}

interface PriceFieldProps {
  readonly name: PriceName;
  readonly price: number;
  readonly isOwn: boolean;
  readonly onPrice: (price: number | undefined) => void;
}

function PriceField({ name, price, isOwn, onPrice }: PriceFieldProps) {
  const [typed, setTyped] = useState(String(price));
  useEffect(() => setTyped(String(price)), [price]);
  const isWrong = priceOf(typed) === undefined;
  const keep = () => (isWrong ? setTyped(String(price)) : onPrice(priceOf(typed)));
  return (
    <span className="flex items-center gap-1 text-muted">
      $
      <span className="w-24">
        <input
          aria-label={`Dollars for ${priceMeanings[name]}`}
          aria-invalid={isWrong}
          inputMode="decimal"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={keep}
          onKeyDown={({ key }) => {
            if (key === 'Enter') keep();
            if (key === 'Escape') setTyped(String(price));
          }}
          className={`${controlClass} text-right tabular-nums aria-invalid:border-fail ${isOwn ? 'font-semibold' : ''}`}
        />
      </span>
    </span>
  );
}
