// A range of network addresses.

/** All addresses that begin with the first `prefix` bits of this one. */
export interface AddressRange {
  readonly family: "ipv4" | "ipv6";
  readonly address: string;
  readonly prefix: number;
}
