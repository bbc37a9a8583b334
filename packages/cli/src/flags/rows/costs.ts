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
    help: 'The price list to use, approximate; see docs/operate/costs.md.',
  }),
  available({
    name: 'prices',
    type: list(text('name=dollars')),
    default: [],
    commands: ['cli storage-costs'],
    help: 'Prices that override the list, such as storage=0.021,put=0.0045.',
    rule: 'docs/operate/costs.md lists the names.',
  }),
];
