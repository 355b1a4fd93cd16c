/** All adapters that the evil provider is tried on. */
import type { Subject } from "../subject.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { trackers } from "./trackers.ts";

export const subjects: readonly Subject[] = [github, gitlab, gitea, ...trackers];
