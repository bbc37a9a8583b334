import { GiB } from '@weir/core';

/** Prices in US dollars, and what each of them is for. */
export const priceMeanings = {
  storage: 'a GiB of objects for a month',
  put: '1,000 PUT requests, parts of uploads included',
  get: '1,000 GET and HEAD requests',
  list: '1,000 LIST requests',
  delete: '1,000 DELETE requests',
  cross_zone: 'a GiB from one zone of a region to another',
  disk: 'a GiB of a disk for a month',
} as const;

export type PriceName = keyof typeof priceMeanings;
export type Prices = Readonly<Record<PriceName, number>>;

export const priceNames = Object.keys(priceMeanings) as PriceName[];

interface PriceList {
  /** The service, its class and its region. */
  readonly title: string;
  readonly prices: Prices;
  /**
   * Prices that were found in secondary sources. The others are from memory. None was compared with `pages` yet.
   */
  readonly secondary: readonly PriceName[];
  /** The pages of the provider that have the prices, by title. */
  readonly pages: Readonly<Record<string, string>>;
}

/** When the price lists were written down. */
export const pricesWritten = 'November 2026';

/** Approximate list prices without discounts, free allowances and steps for large amounts. */
export const priceLists = {
  s3: {
    title: 'Amazon S3 Standard, us-east-1',
    prices: {
      storage: 0.023,
      put: 0.005,
      get: 0.0004,
      list: 0.005,
      delete: 0,
      // 0.01 in each direction.
      cross_zone: 0.02,
      disk: 0.08,
    },
    secondary: ['storage', 'put', 'list', 'delete', 'cross_zone'],
    pages: {
      'Amazon S3': 'https://aws.amazon.com/s3/pricing/',
      'Amazon EC2': 'https://aws.amazon.com/ec2/pricing/on-demand/',
      'Amazon EBS': 'https://aws.amazon.com/ebs/pricing/',
    },
  },
  gcs: {
    title: 'Google Cloud Storage Standard, us-central1',
    prices: {
      storage: 0.02,
      put: 0.005,
      get: 0.0004,
      list: 0.005,
      delete: 0,
      cross_zone: 0.01,
      disk: 0.1,
    },
    secondary: ['storage', 'put', 'get', 'list', 'delete', 'cross_zone'],
    pages: {
      'Google Cloud Storage': 'https://cloud.google.com/storage/pricing',
      'Google Cloud network': 'https://cloud.google.com/vpc/network-pricing',
      'Google Cloud disks': 'https://cloud.google.com/compute/disks-image-pricing',
    },
  },
  azure: {
    title: 'Azure Blob Storage Hot, ZRS, East US',
    prices: {
      storage: 0.023,
      put: 0.00625,
      get: 0.0004,
      list: 0.00625,
      delete: 0,
      cross_zone: 0,
      disk: 0.081,
    },
    secondary: ['storage', 'delete'],
    pages: {
      'Azure Blob Storage': 'https://azure.microsoft.com/en-us/pricing/details/storage/blobs/',
      'Azure bandwidth': 'https://azure.microsoft.com/en-us/pricing/details/bandwidth/',
      'Azure managed disks': 'https://azure.microsoft.com/en-us/pricing/details/managed-disks/',
    },
  },
} as const satisfies Record<string, PriceList>;

export type PriceListName = keyof typeof priceLists;

export const priceListNames = Object.keys(priceLists) as [PriceListName, ...PriceListName[]];

/** What a cluster stores, and what it wrote and requested in a time. */
export interface StorageUse {
  readonly spanMs: number;
  readonly ingestedBytes: number;
  /** Of all buckets. */
  readonly requests: Readonly<Record<'put' | 'get' | 'list' | 'delete', number>>;
  /** Files that hold records. */
  readonly liveBytes: number;
  readonly deadBytes: number;
}

interface StorageCosts {
  readonly storageMonth: number;
  readonly requestsMonth: number;
  readonly month: number;
  /** Requests, and all, per GiB that producers brought; absent if they brought none. */
  readonly requestsPerGib: number | undefined;
  readonly perGib: number | undefined;
  readonly kafka: {
    readonly replicationMonth: number;
    readonly producersMonth: number;
    readonly disksMonth: number;
    readonly month: number;
  };
}

/** A month of bills, in hours. */
const monthHours = 730;

/** The Kafka cluster to compare with: its assumptions, which the page of costs says in words. */
export const comparedKafka = {
  replicas: 3,
  zones: 3,
  /** How full disks are; the rest is room for growth and for a broker that fails. */
  diskFill: 0.6,
} as const;

/** Extrapolates what was measured to a month. */
export function storageCosts(use: StorageUse, prices: Prices): StorageCosts {
  const monthsPerSpan = (monthHours * 3_600_000) / use.spanMs;
  const perMonth = (amount: number) => (use.spanMs > 0 ? amount * monthsPerSpan : 0);
  const { requests } = use;
  const requestsMonth = perMonth(
    (requests.put * prices.put +
      requests.get * prices.get +
      requests.list * prices.list +
      requests.delete * prices.delete) /
      1000,
  );
  const storageMonth = ((use.liveBytes + use.deadBytes) / GiB) * prices.storage;
  const month = storageMonth + requestsMonth;
  const ingestedGib = perMonth(use.ingestedBytes) / GiB;
  const { replicas, zones, diskFill } = comparedKafka;
  const replicationMonth = ingestedGib * (replicas - 1) * prices.cross_zone;
  const producersMonth = ingestedGib * ((zones - 1) / zones) * prices.cross_zone;
  const disksMonth = ((use.liveBytes / GiB) * replicas * prices.disk) / diskFill;
  return {
    storageMonth,
    requestsMonth,
    month,
    requestsPerGib: ingestedGib > 0 ? requestsMonth / ingestedGib : undefined,
    perGib: ingestedGib > 0 ? month / ingestedGib : undefined,
    kafka: {
      replicationMonth,
      producersMonth,
      disksMonth,
      month: replicationMonth + producersMonth + disksMonth,
    },
  };
}

/** Dollars for people: cents for large amounts, and enough digits for small ones. */
export function dollarText(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.995) {
    return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  }
  return `$${dollars.toLocaleString('en-US', { maximumSignificantDigits: 3, maximumFractionDigits: 20 })}`;
}
