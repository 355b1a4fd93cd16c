/** The folders of the workspace that git compares: the repositories of the launch, and the workspace around them. */
import { join } from "node:path";
import type { LaunchDocument, LocalMount, Repository } from "#shared/wire/pod/launch.ts";
import { pathsInside, repositoryPath } from "#shared/wire/pod/repository-path.ts";
import { isFreeOfLinks } from "./workspace-path.ts";

/** One folder that git compares. */
export interface WorkTree {
	readonly folder: string;
	/** The path below the workspace; empty: the workspace itself. */
	readonly path: string;
	/** The folder is no repository, so that everything in it is new. */
	readonly isPlain: boolean;
	/** Paths below the folder that are work trees too; they are no part of this one as long as they are repositories. */
	readonly inner: readonly string[];
	/** Paths below the folder that are no part of this tree in any case. */
	readonly leftOut?: readonly string[];
	/** The folder is a link that the platform has made to a folder of the host. */
	readonly isLinked?: boolean;
	/** The folder is, or is a copy of, one of the host, whose git folders may be elsewhere. */
	readonly isOfHost?: boolean;
}

/** Returns the work tree of a workspace that is one repository. */
export function wholeTree(workspace: string): WorkTree {
	return { folder: workspace, path: "", isPlain: false, inner: [] };
}

/** Returns the work trees of a workspace that has folders of the host; those that are no repositories are not compared. */
function mountedTrees(workspace: string, mounts: readonly LocalMount[]): WorkTree[] {
	if (mounts.some(({ path }) => path === "")) return [{ ...wholeTree(workspace), isOfHost: true }];
	const leftOut = mounts.map(({ path }) => path);
	return [
		{ folder: workspace, path: "", isPlain: true, inner: [], leftOut },
		...mounts.map(({ path, read_only }) => {
			return { folder: join(workspace, path), path, isPlain: false, inner: [], isLinked: !read_only, isOfHost: true };
		}),
	];
}

type Launch = Pick<LaunchDocument, "workspace" | "mounts" | "repositories">;

export function treesOfLaunch({ workspace, mounts, repositories }: Launch): WorkTree[] {
	return mounts && mounts.length > 0 ? mountedTrees(workspace, mounts) : workTrees(workspace, repositories);
}

/** Returns the work trees, outer ones first. The workspace is always one, so that files beside repositories count. */
export function workTrees(workspace: string, repositories: readonly Pick<Repository, "path">[]): WorkTree[] {
	const paths = repositories.flatMap(({ path }) => repositoryPath(path) ?? []);
	if (paths.length === 0) return [wholeTree(workspace)];
	const all = [...new Set(["", ...paths])].sort();
	return all.map((path) => ({
		folder: path === "" ? workspace : join(workspace, path),
		path,
		isPlain: !paths.includes(path),
		inner: pathsInside(path, all),
	}));
}

/** Whether no part of the tree's path was replaced by a symbolic link, which would lead outside of the workspace. */
export async function isInPlace({ folder, path, isLinked = false }: WorkTree): Promise<boolean> {
	return isLinked || isFreeOfLinks(path === "" ? folder : folder.slice(0, -path.length - 1), path);
}

/** Returns the path below the workspace of a path below the tree. */
export function fromWorkspace({ path }: WorkTree, below: string): string {
	return path === "" ? below : `${path}/${below}`;
}
