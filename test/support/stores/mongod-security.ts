/**
 * TLS and users of a replica set: certificates of an authority of its own, a key for its members, the user of the platform, who
 * may read and write one database, and an administrator for the tests.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, MongoClient, type MongoClientOptions } from "mongodb";
import { type Certificate, makeCertificate } from "../bus/test-certificates.ts";
import { eventually } from "../eventually.ts";

/** The user of the platform (docs/mongodb.md). */
export const platformUser = { name: "atelier", password: "a-secret" } as const;
const root = { name: "root", password: "root-secret" } as const;

/** The parts of a URL that log in. */
export interface MongodLogin {
	/** `name:password@`, or empty. */
	readonly user: string;
	/** Options, each with `&` before it. */
	readonly query: string;
}

interface Addressed {
	readonly port: number;
}

export class MongodSecurity {
	readonly #authority: Certificate;
	readonly #folder: string;
	readonly #keyFile: string;
	readonly #pem: string;
	#hasUsers = false;

	/** Makes the files in a folder. */
	constructor(folder: string) {
		this.#folder = join(folder, "security");
		mkdirSync(this.#folder);
		this.#authority = makeCertificate(this.#folder, "authority");
		const server = makeCertificate(this.#folder, "server", this.#authority);
		this.#pem = join(this.#folder, "server-with-key.pem");
		writeFileSync(this.#pem, readFileSync(server.cert, "utf8") + readFileSync(server.key, "utf8"), { mode: 0o600 });
		this.#keyFile = join(this.#folder, "members.key");
		writeFileSync(this.#keyFile, randomBytes(96).toString("base64"), { mode: 0o400 });
	}

	/** The arguments of each server. */
	get args(): string[] {
		const certificates = ["--tlsCertificateKeyFile", this.#pem, "--tlsCAFile", this.#authority.cert];
		const tls = ["--tlsMode", "requireTLS", "--tlsAllowConnectionsWithoutCertificates", ...certificates];
		return ["--keyFile", this.#keyFile, ...tls];
	}

	/** The options of the tests' administrator. */
	get clientOptions(): MongoClientOptions {
		const auth = { username: root.name, password: root.password };
		return { tls: true, tlsCAFile: this.#authority.cert, ...(this.#hasUsers && { auth, authSource: "admin" }) };
	}

	/** The login of a user, who is known to the database `admin`. */
	loginFor({ name, password }: { readonly name: string; readonly password: string }): MongodLogin {
		const query = `&authSource=admin&tls=true&tlsCAFile=${encodeURIComponent(this.#authority.cert)}`;
		return { user: `${name}:${password}@`, query };
	}

	/** Makes the certificate of an authority that nobody trusts. */
	get otherAuthority(): string {
		return makeCertificate(this.#folder, "other").cert;
	}

	/** Makes both users. The first one is made over loopback while there is none. */
	async makeUsers(members: readonly Addressed[]): Promise<void> {
		const port = await eventually(() => primaryOf(members, (each) => this.#ask(each, { hello: 1 })), {
			withinMs: 120_000,
			what: "the set has a primary",
		});
		await this.#ask(port, { createUser: root.name, pwd: root.password, roles: ["root"] });
		this.#hasUsers = true;
		const roles = [{ role: "readWrite", db: "atelier" }];
		await this.#ask(port, { createUser: platformUser.name, pwd: platformUser.password, roles });
	}

	async #ask(port: number, command: Document): Promise<Document> {
		const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
		const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000, ...this.clientOptions });
		try {
			return await client.db("admin").command(command);
		} finally {
			await client.close();
		}
	}
}

async function primaryOf(
	members: readonly Addressed[],
	hello: (port: number) => Promise<Document>,
): Promise<number | undefined> {
	for (const { port } of members) if ((await hello(port))["isWritablePrimary"]) return port;
	return undefined;
}
