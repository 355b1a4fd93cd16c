/**
 * The folders of a platform that containers may have. Their places are known, because a session may write below its own folder:
 * a path that leads through it could be a link by the time the engine mounts it.
 */
import { lstatSync, realpathSync, type Stats } from "node:fs";
import { relative } from "node:path";
import { boolean, both, type Json, objectOf, only, type Rule, text, textThat } from "./json-rules.ts";

/** Places below the data folder. What is above each of them is the platform's alone. */
export interface MountPlaces {
	/** Folders that a container may write. */
	readonly writable: readonly RegExp[];
	/** Folders that a container may only read. */
	readonly readable: readonly RegExp[];
	/** Files that a container may only read; default none. */
	readonly files?: readonly RegExp[];
}

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** The folder of a session or of a workspace. */
export const sessionFolder = new RegExp(`^sessions/${id}$`);
/** The folder of the socket of an agent. */
export const anyAgentFolder = new RegExp(`^run/${id}-g\\d{1,9}/out$`);

/** The folder of the socket to which a container writes what it has read for a backup. */
export const readingFolder = /^cache\/reading\/[0-9a-f]{32}$/;

/** Returns the places of a launch. @param launch Its name, which has no character with a meaning in a pattern. */
export function sessionPlaces(launch: string): MountPlaces {
	return {
		writable: [sessionFolder, new RegExp(`^run/${launch}/out$`)],
		readable: [new RegExp(`^run/${launch}/in$`), /^cache\/session-agent\/[0-9a-f]{32}$/],
		files: [/^cache\/session-agent\/[0-9a-f]{32}\/etc\/(?:passwd|group)$/],
	};
}

/** Returns the places of a container that waits. @param own The name of its folders, which has no character with a meaning in a pattern. */
export function warmPlaces(own: string): MountPlaces {
	return {
		writable: [new RegExp(`^sessions/\\.warm/${own}$`), new RegExp(`^run/\\.warm/${own}/out$`)],
		readable: [new RegExp(`^run/\\.warm/${own}/in$`)],
	};
}

/**
 * @param dataDir The platform's data folder; absolute, without links.
 * @param target The rule of the place inside of the container. A session chooses what is in its folder, so a container that is root must
 * not get it as one of the folders from which programs are started.
 */
export function mountRule(dataDir: string, { writable, readable, files = [] }: MountPlaces, target: Rule = text): Rule {
	const isAt = (source: Json, places: readonly RegExp[]) =>
		typeof source === "string" && places.some((place) => place.test(relative(dataDir, source)));
	const mount = objectOf({
		Type: only("bind"),
		Source: textThat((path) =>
			isAt(path, files) ? statsOf(path)?.isFile() === true : isAt(path, [...writable, ...readable]) && isFolder(path),
		),
		Target: target,
		ReadOnly: boolean,
	});
	const isRight = (value: Json) => {
		const { Source = "", ReadOnly } = value as { Source?: string; ReadOnly?: boolean };
		return ReadOnly === true || isAt(Source, writable);
	};
	return both(mount, isRight, "ReadOnly");
}

function isFolder(path: string): boolean {
	return statsOf(path)?.isDirectory() === true;
}

/** Returns what is at a path in its only form and through no link; undefined otherwise. */
function statsOf(path: string): Stats | undefined {
	try {
		return realpathSync(path) === path ? lstatSync(path) : undefined;
	} catch {
		return undefined;
	}
}
