/** What the cluster is called that an installation begins with. */
export const firstClusterName = 'vcn_default';
