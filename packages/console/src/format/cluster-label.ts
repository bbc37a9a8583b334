const prefix = /^vcn_(?:sr_|dl_)?/;

/** The name that a person gave a cluster, without the prefix of its kind. */
export function clusterLabel({ name }: { readonly name: string }): string {
  return name.replace(prefix, '');
}
