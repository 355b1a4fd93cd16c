/**
 * Answers pods that ask for the address of a service by its name (RFC 1035), as the name server of a cluster does. All other names are
 * unknown, and no address has six bytes or more.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";

interface Service extends KubeObject {
	readonly spec: { readonly clusterIP?: string };
}

/** The domain of all names of services. */
export const clusterDomain = "cluster.local";
const serviceName = new RegExp(`^([a-z0-9-]+)\\.([a-z0-9-]+)\\.svc\\.${clusterDomain}$`);
const headerBytes = 12;
const [noError, unknownName] = [0, 3];
/** The type of questions for addresses of IPv4. */
const addressType = 1;
const secondsToKeep = 5;

interface Question {
	readonly name: string;
	readonly type: number;
	/** The bytes of the header and the question. */
	readonly bytes: Buffer;
}

export class ServiceNames implements AsyncDisposable {
	readonly #client: ApiClient;
	readonly #socket: Socket = createSocket("udp4");

	private constructor(client: ApiClient) {
		this.#client = client;
		this.#socket.on("message", (message, from) => void this.#answer(message, from));
	}

	/** Listens at port 53 of an address. @param client Reads the services. */
	static async listen(client: ApiClient, address: string): Promise<ServiceNames> {
		const names = new ServiceNames(client);
		names.#socket.bind(53, address);
		await once(names.#socket, "listening");
		return names;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#socket.close();
	}

	async #answer(message: Buffer, from: RemoteInfo): Promise<void> {
		const question = questionIn(message);
		if (!question) return;
		const address = await this.#addressOf(question.name).catch(() => undefined);
		this.#socket.send(answerTo(question, address), from.port, from.address);
	}

	async #addressOf(name: string): Promise<string | undefined> {
		const [, service, namespace] = serviceName.exec(name) ?? [];
		if (service === undefined || namespace === undefined) return undefined;
		const services = { version: "v1", plural: "services", namespace };
		return (await this.#client.get<Service>(services, service)).spec.clusterIP;
	}
}

/** Returns undefined for bytes that are no question. */
function questionIn(message: Buffer): Question | undefined {
	const labels: string[] = [];
	let at = headerBytes;
	for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
		labels.push(message.toString("latin1", at + 1, at + 1 + length).toLowerCase());
		at += 1 + length;
	}
	// The name is followed by its type and its class.
	if (message.length < at + 5) return undefined;
	return { name: labels.join("."), type: message.readUInt16BE(at + 1), bytes: message.subarray(0, at + 5) };
}

function answerTo({ type, bytes }: Question, address: string | undefined): Buffer {
	const isAnswered = address !== undefined && type === addressType;
	const answer = Buffer.from(bytes);
	// It is an answer with authority, recursion is there, and further parts of the question are not repeated.
	answer.writeUInt16BE(0x8580 | (address === undefined ? unknownName : noError), 2);
	answer.writeUInt16BE(1, 4);
	answer.writeUInt16BE(isAnswered ? 1 : 0, 6);
	answer.writeUInt32BE(0, 8);
	return isAnswered ? Buffer.concat([answer, addressRecord(address)]) : answer;
}

function addressRecord(address: string): Buffer {
	const record = Buffer.alloc(16);
	// The name is that of the question.
	record.writeUInt16BE(0xc000 | headerBytes, 0);
	record.writeUInt16BE(addressType, 2);
	record.writeUInt16BE(1, 4);
	record.writeUInt32BE(secondsToKeep, 6);
	record.writeUInt16BE(4, 10);
	for (const [index, part] of address.split(".").entries()) record.writeUInt8(Number(part), 12 + index);
	return record;
}
