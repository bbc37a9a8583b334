import { priceListNames } from '@weir/api/storage-costs';
import { list } from '../../values/list.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';

/** Prices for the costs of a cluster. */
export const costFlags = [
  available({
    name: 'priceList',
    type: oneOf(...priceListNames),
    default: 's3',
    commands: ['cli storage-costs'],
    help: 'The approximate list prices that are used; docs/operate/costs.md has them.',
  }),
  available({
    name: 'prices',
    type: list(text('name=dollars')),
    default: [],
    commands: ['cli storage-costs'],
    help: 'Prices that replace those of the list, such as storage=0.021,put=0.0045.',
    rule: 'The names are those of docs/operate/costs.md.',
  }),
];
