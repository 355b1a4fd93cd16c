/**
 * Makes the MongoDB of docker-compose.yml usable: starts the replica set of one member, and makes its administrator and
 * the user of the platform, who may use one database. Every step may be repeated. It runs in the network of the server,
 * because the first user of a server can only be made from its own machine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient, MongoServerError } from "mongodb";

/** The time for a server on a slow disk to become the primary, in milliseconds. */
const limitMs = 120_000;
const pauseMs = 500;

const codes = { alreadyInitialized: 23, unauthorized: 13, userExists: 51_003, authenticationFailed: 18 };

function fromEnvironment(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`The environment variable ${name} is not set`);
}

const rootPassword = fromEnvironment("MONGODB_ROOT_PASSWORD");
const password = fromEnvironment("MONGODB_PASSWORD");
const member = process.env["MONGODB_MEMBER"] ?? "mongodb:27017";
const port = process.env["MONGODB_PORT"] ?? "27017";

/** Runs work on the database `admin`. @param root Whether as the administrator, or without a user. */
async function onAdmin<T>(root: boolean, work: (admin: Db) => Promise<T>): Promise<T> {
	const auth = root ? { auth: { username: "root", password: rootPassword } } : {};
	const client = new MongoClient(`mongodb://127.0.0.1:${port}/admin`, {
		directConnection: true,
		serverSelectionTimeoutMS: 5_000,
		...auth,
	});
	try {
		return await work(client.db("admin"));
	} finally {
		await client.close();
	}
}

function isCode(error: unknown, ...known: number[]): boolean {
	return error instanceof MongoServerError && known.includes(Number(error.code));
}

/** Does nothing when it fails with one of these codes, which say that it was done before. */
async function once(work: Promise<unknown>, ...done: number[]): Promise<void> {
	await work.catch((error: unknown) => {
		if (!isCode(error, ...done)) throw error;
	});
}

async function startSet(admin: Db): Promise<void> {
	const config = { _id: "atelier", members: [{ _id: 0, host: member }] };
	// A server with users refuses strangers: then the set exists.
	await once(admin.command({ replSetInitiate: config }), codes.alreadyInitialized, codes.unauthorized);
	const begun = performance.now();
	while ((await admin.command({ hello: 1 }))["isWritablePrimary"] !== true) {
		if (performance.now() - begun > limitMs) throw new Error(`The set has no primary within ${limitMs} ms`);
		await sleep(pauseMs);
	}
}

async function makeRoot(admin: Db): Promise<void> {
	const root = { createUser: "root", pwd: rootPassword, roles: ["root"] };
	await once(admin.command(root), codes.unauthorized, codes.userExists);
}

/** The password of a user who exists is set again, so that a changed one holds. */
async function makeUser(admin: Db): Promise<void> {
	const user = { pwd: password, roles: [{ role: "readWrite", db: "atelier" }] };
	try {
		await admin.command({ createUser: "atelier", ...user });
	} catch (error) {
		if (!isCode(error, codes.userExists)) throw error;
		await admin.command({ updateUser: "atelier", ...user });
	}
}

await onAdmin(false, startSet);
await onAdmin(false, makeRoot);
try {
	await onAdmin(true, makeUser);
	console.log("MongoDB has its set and its users");
} catch (error) {
	if (!isCode(error, codes.authenticationFailed)) throw error;
	console.error("MongoDB was made with another MONGODB_ROOT_PASSWORD: restore the former .env, or remove the volume");
	process.exitCode = 1;
}
