// The part of nodemailer that src/notify/send.ts uses.
declare module "nodemailer" {
  interface Mail {
    readonly from: string;
    readonly to: readonly string[];
    readonly subject: string;
    readonly text: string;
    readonly messageId: string;
  }
  interface Transport {
    sendMail(mail: Mail): Promise<unknown>;
    close(): void;
  }
  export function createTransport(options: {
    readonly url: string;
    readonly connectionTimeout: number;
    readonly greetingTimeout: number;
    readonly socketTimeout: number;
    /** Mail content is never read from files or addresses. */
    readonly disableFileAccess: boolean;
    readonly disableUrlAccess: boolean;
  }): Transport;
}
