/** What an archive says of itself to those who find it without annals. */
export const README = `This is an archive of Claude Code sessions, made by annals.
It can be read with zcat, sort and sha256sum alone.

  data/<sha256>.gz   a stretch of a file, packed with gzip; its name is the SHA-256 of what is in it
  data/<sha256>.of   whose that stretch is; one line for every file that has it:
                     <commit> <root> <session, or - for shared> <path below it> <generation> <offset> <hash>
  manifest           which stretches make up which file; one line each, fields separated by tabs
  manifest.before    the same before the last change
  lost+found         stretches without a place in any file, if there are any

The manifest begins with "annals archive 2", its length in bytes, number and hash of its last commit, and the
SHA-256 of these. Then:

  root    <root> <path>                                             <chain>
  file    <file> <root> <session, or - for shared> <path below it>  <chain>
  frame   <file> <generation> <offset> <bytes> <packed bytes> <crc32 of the packed bytes> <sha256>  <chain>
  seen    <file> <generation> <bytes> <modified, ms since 1970> <cursor>  <chain>
  purged  <hash> <time>                                             <chain>
  commit  <number> <time> <sha256 over the last commit's, this number and time, and the lines between>

Lines count once the commit after them is there. Of frames with the same file, generation and
offset the last one counts; so it is with "file" lines of the same number. A rewritten file has more than one
generation: the highest is the newest. In paths, control characters and % are written as % and two hex digits.

To put file 7, generation 1, back:

  grep -P '^frame\\t7\\t1\\t' manifest | tac | sort -t "$(printf '\\t')" -k4,4n -u |
    while read -r _ _ _ _ _ _ _ sha256 _; do zcat "data/$sha256.gz"; done > restored

To check every stretch:

  for f in data/*.gz; do
    [ "$(zcat "$f" | sha256sum | cut -c 1-64)" = "$(basename "$f" .gz)" ] || echo "damaged: $f"
  done
`
