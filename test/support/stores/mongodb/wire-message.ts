/** Encodes and decodes MongoDB's messages: OP_MSG, and the OP_QUERY of a driver's first hello. */
import { BSON } from "mongodb";
import { isMembers, type Members } from "./values.ts";

const headBytes = 16;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

/** The most bytes of a message, as announced in `hello`; a longer one ends the connection. */
const maxMessageBytes = 48_000_000;

export interface WireMessage {
	readonly requestId: number;
	readonly legacy: boolean;
	readonly command: Members;
}

/**
 * Takes complete messages from the front; `rest` waits for more bytes. @throws {RangeError} when a message is too long.
 */
export function takeMessages(bytes: Buffer): { messages: WireMessage[]; rest: Buffer } {
	const messages: WireMessage[] = [];
	let rest = bytes;
	while (rest.length >= headBytes) {
		const length = rest.readInt32LE(0);
		if (length < headBytes || length > maxMessageBytes) throw new RangeError(`A message of ${length} bytes`);
		if (rest.length < length) break;
		messages.push(decoded(rest.subarray(0, length)));
		rest = rest.subarray(length);
	}
	return { messages, rest };
}

export function encodedAnswer({ requestId, legacy }: WireMessage, answer: Members): Buffer {
	const body = BSON.serialize(answer);
	const head = Buffer.alloc(legacy ? headBytes + 20 : headBytes + 5);
	head.writeInt32LE(head.length + body.length, 0);
	head.writeInt32LE(requestId, 8);
	head.writeInt32LE(legacy ? opReply : opMsg, 12);
	if (legacy) head.writeInt32LE(1, headBytes + 16);
	return Buffer.concat([head, body]);
}

function decoded(message: Buffer): WireMessage {
	const requestId = message.readInt32LE(4);
	const operation = message.readInt32LE(12);
	if (operation === opQuery) {
		const collectionEnd = message.indexOf(0, headBytes + 4);
		return { requestId, legacy: true, command: BSON.deserialize(message.subarray(collectionEnd + 9)) };
	}
	if (operation !== opMsg) throw new RangeError(`A message of kind ${operation}`);
	return { requestId, legacy: false, command: sections(message) };
}

/** Returns the command with its document sequences as members; the command's own name stays first. */
function sections(message: Buffer): Members {
	const sequences: Members = {};
	let body: Members = {};
	for (let at = headBytes + 4; at < message.length; ) {
		const kind = message[at];
		const end = at + 1 + message.readInt32LE(at + 1);
		if (kind === 0) body = BSON.deserialize(message.subarray(at + 1, end));
		else {
			const nameEnd = message.indexOf(0, at + 5);
			sequences[message.toString("utf8", at + 5, nameEnd)] = documents(message.subarray(nameEnd + 1, end));
		}
		at = end;
	}
	return { ...body, ...sequences };
}

function documents(bytes: Buffer): Members[] {
	const found: Members[] = [];
	for (let at = 0; at < bytes.length; ) {
		const end = at + bytes.readInt32LE(at);
		const document: unknown = BSON.deserialize(bytes.subarray(at, end));
		if (isMembers(document)) found.push(document);
		at = end;
	}
	return found;
}
