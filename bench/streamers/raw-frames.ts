/** A minimal reader of Bedrock's frames: the length, the payload behind the headers, the event in it. No checksum. */
const PRELUDE = 12;
const CHECKSUM = 4;

/** Creates a reader; `onData` takes each event. */
export function createFrameFeed(onData: (data: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= PRELUDE && rest.length >= rest.readUInt32BE(0)) {
      const length = rest.readUInt32BE(0);
      const payload = rest.toString("utf8", PRELUDE + rest.readUInt32BE(4), length - CHECKSUM);
      const { bytes } = JSON.parse(payload) as { readonly bytes: string };
      onData(Buffer.from(bytes, "base64").toString("utf8"));
      rest = rest.subarray(length);
    }
  };
}
