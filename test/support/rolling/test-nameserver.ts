/** A nameserver on loopback (RFC 1035), whose addresses of names a test changes, as an engine changes those of containers. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";

const headerBytes = 12;
/** The flags of an answer, without and with the error that the name does not exist. */
const [found, unknown] = [0x8180, 0x8183];
const addressRecord = 1;

export class TestNameserver implements AsyncDisposable {
	/** The IPv4 address of each name; a name that is not in it does not exist. */
	readonly addresses = new Map<string, string>();
	/** The number of answers since the start. */
	answered = 0;
	readonly #socket: Socket;

	private constructor(socket: Socket) {
		this.#socket = socket;
		socket.on("message", (query, sender) => this.#answer(query, sender));
	}

	static async start(): Promise<TestNameserver> {
		const socket = createSocket("udp4");
		socket.bind(0, "127.0.0.1");
		await once(socket, "listening");
		return new TestNameserver(socket);
	}

	/** Its address and port. */
	get place(): string {
		return `127.0.0.1:${this.#socket.address().port}`;
	}

	#answer(query: Buffer, { port, address: sender }: RemoteInfo): void {
		const { name, type, end } = questionOf(query);
		const address = this.addresses.get(name);
		const records = address !== undefined && type === addressRecord ? [recordOf(address)] : [];
		const header = Buffer.alloc(headerBytes);
		query.copy(header, 0, 0, 2);
		header.writeUInt16BE(address === undefined ? unknown : found, 2);
		header.writeUInt16BE(1, 4);
		header.writeUInt16BE(records.length, 6);
		this.answered++;
		this.#socket.send(Buffer.concat([header, query.subarray(headerBytes, end), ...records]), port, sender);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const closed = once(this.#socket, "close");
		this.#socket.close();
		await closed;
	}
}

/** Returns the first question, and the place of its end. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
	const labels: string[] = [];
	let at = headerBytes;
	for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
		labels.push(query.toString("latin1", at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns the record of an address, which points to the name of the question and may be kept for a second. */
function recordOf(address: string): Buffer {
	return Buffer.from([0xc0, headerBytes, 0, addressRecord, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split(".").map(Number)]);
}
