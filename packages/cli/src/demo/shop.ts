import type { Random } from '@weir/core';
import type { SchemaTopic } from './schemas.ts';

/** What a client of the shop writes: an object of the schema of its topic. */
export interface ShopRecord {
  readonly topic: SchemaTopic;
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Something that happens in the shop, with its records. */
export interface Happening {
  readonly kind: HappeningKind;
  readonly records: readonly ShopRecord[];
}

/**
 * How often each thing happens, in parts of 100. A visit of the kiosk is a page view by another client, an import is a
 * shipment that an old program reports without a schema, and a payment writes two postings as well.
 */
const shares = {
  visit: 54,
  kioskVisit: 6,
  order: 14,
  payment: 8,
  shipment: 6,
  import: 2,
  customer: 5,
  stock: 5,
} as const;

export type HappeningKind = keyof typeof shares;

/** The share of happenings that are page views, from 0 to 1. */
export const pageViewShare = (shares.visit + shares.kioskVisit) / 100;

const customerCount = 500;
const skuCount = 60;
const firstNames = ['Ada', 'Bo', 'Chen', 'Dina', 'Emil', 'Fay', 'Goran', 'Hana', 'Ines', 'Jonas'] as const;
const lastNames = ['Abel', 'Berg', 'Costa', 'Dietz', 'Evans', 'Fuchs', 'Garcia', 'Holm'] as const;
const cities = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Essen', 'Faro', 'Ghent', 'Helsinki'] as const;
const countries = ['DK', 'NO', 'IE', 'NL', 'DE', 'PT', 'BE', 'FI'] as const;
const carriers = ['post', 'van', 'bicycle'] as const;
const statuses = ['packed', 'sent', 'delivered'] as const;
const methods = ['CARD', 'CARD', 'CARD', 'INVOICE', 'VOUCHER'] as const;
const pages = ['/', '/search', '/cart', '/checkout', '/help'] as const;
const openOrdersMax = 50;

/** The shop, as a sequence that is determined by its random source. Only the times in it differ between runs. */
export class Shop {
  readonly #random: Random;
  readonly #openOrders: { readonly orderId: string; readonly totalCents: number }[] = [];
  #orderCount = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(nowMs: number): Happening {
    const kind = this.#kind();
    return { kind, records: this.#records(kind, nowMs) };
  }

  #kind(): HappeningKind {
    let left = this.#random.below(100);
    for (const [kind, share] of Object.entries(shares)) {
      left -= share;
      if (left < 0) return kind as HappeningKind;
    }
    return 'visit';
  }

  #records(kind: HappeningKind, nowMs: number): readonly ShopRecord[] {
    switch (kind) {
      case 'visit':
        return [this.#pageView(this.#one(['phone', 'desktop']), nowMs)];
      case 'kioskVisit':
        return [this.#pageView('kiosk', nowMs)];
      case 'order':
        return [this.#order(nowMs)];
      case 'payment':
        return this.#payment(nowMs);
      case 'shipment':
      case 'import':
        return [this.#shipment()];
      case 'customer':
        return [this.#customer()];
      case 'stock':
        return [this.#stock()];
    }
  }

  #pageView(device: string, nowMs: number): ShopRecord {
    const session = `s-${this.#random.below(2_000)}`;
    const path = this.#random.below(3) === 0 ? this.#one(pages) : `/products/${this.#sku()}`;
    const value = {
      session_id: session,
      customer_id: this.#customerId(),
      path,
      device,
      duration_ms: 200 + this.#random.below(60_000),
      viewed_at: nowMs,
    };
    return { topic: 'page-views', key: session, value };
  }

  #order(nowMs: number): ShopRecord {
    const orderId = `o-${++this.#orderCount}`;
    const items = Array.from({ length: 1 + this.#random.below(3) }, () => ({
      sku: this.#sku(),
      quantity: 1 + this.#random.below(4),
      price_cents: 99 + 50 * this.#random.below(300),
    }));
    const totalCents = items.reduce((sum, { quantity, price_cents }) => sum + quantity * price_cents, 0);
    this.#openOrders.push({ orderId, totalCents });
    if (this.#openOrders.length > openOrdersMax) this.#openOrders.shift();
    const value = {
      order_id: orderId,
      customer_id: this.#customerId(),
      total_cents: totalCents,
      placed_at: nowMs,
      currency: 'EUR',
      items,
    };
    return { topic: 'orders', key: orderId, value };
  }

  /** The payment of an order, and what it moves between the accounts of the shop: the amounts add up to 0. */
  #payment(nowMs: number): readonly ShopRecord[] {
    const { orderId, totalCents } = this.#openOrders.shift() ?? { orderId: 'o-0', totalCents: 1_000 };
    const paymentId = `p-${orderId.slice(2)}-${this.#random.below(1_000)}`;
    const payment = {
      payment_id: paymentId,
      order_id: orderId,
      method: this.#one(methods),
      amount_cents: totalCents,
      paid_at: nowMs,
      country: this.#one(countries),
    };
    const posting = (account: string, amount_cents: number): ShopRecord => ({
      topic: 'ledger',
      key: account,
      value: { payment_id: paymentId, account, amount_cents },
    });
    return [
      { topic: 'payments', key: orderId, value: payment },
      posting('receivables', -totalCents),
      posting('bank', totalCents),
    ];
  }

  #shipment(): ShopRecord {
    const order = 1 + this.#random.below(Math.max(1, this.#orderCount));
    const value = {
      shipment_id: `h-${order}`,
      order_id: `o-${order}`,
      carrier: this.#one(carriers),
      status: this.#one(statuses),
    };
    return { topic: 'shipments', key: value.order_id, value };
  }

  #customer(): ShopRecord {
    const customerId = this.#customerId();
    const value = {
      customer_id: customerId,
      name: `${this.#one(firstNames)} ${this.#one(lastNames)}`,
      city: this.#one(cities),
      orders: this.#random.below(40),
    };
    return { topic: 'customers', key: customerId, value };
  }

  #stock(): ShopRecord {
    const sku = this.#sku();
    const value = { sku, quantity: this.#random.below(500), warehouse: this.#one(cities) };
    return { topic: 'inventory', key: sku, value };
  }

  #customerId(): string {
    return `c-${1 + this.#random.below(customerCount)}`;
  }

  #sku(): string {
    return `sku-${1 + this.#random.below(skuCount)}`;
  }

  #one<Value>(values: readonly Value[]): Value {
    return values[this.#random.below(values.length)]!;
  }
}
